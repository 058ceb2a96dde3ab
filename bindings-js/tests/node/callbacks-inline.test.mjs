// Callbacks of this entry. Each entry needs its own process, since the first one's engine stays.
import * as leafid from 'leafid/inline'
import { misdeeds } from '../support/misdeeds.mjs'
import { ownFunctions } from '../support/own-functions.mjs'
import { within } from '../support/within.mjs'

ownFunctions('leafid/inline', leafid)
within('leafid/inline', leafid)
misdeeds('leafid/inline', leafid)
