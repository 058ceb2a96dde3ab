// A user's own functions: the tests of this entry.
import * as leafid from 'leafid/inline'
import { ownFunctions } from '../support/own-functions.mjs'

ownFunctions('leafid/inline', leafid)
