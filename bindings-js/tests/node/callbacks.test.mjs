// Callbacks of this entry. Each entry needs its own process, since the first one's engine stays.
import * as leafid from 'leafid'
import { misdeeds } from '../support/misdeeds.mjs'
import { ownFunctions } from '../support/own-functions.mjs'
import { within } from '../support/within.mjs'

ownFunctions('leafid', leafid)
within('leafid', leafid)
misdeeds('leafid', leafid)
