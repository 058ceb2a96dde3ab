// Whoever is called while more is asked for may draw as well: the tests of this entry.
import * as leafid from 'leafid'
import { within } from '../support/within.mjs'

within('leafid', leafid)
