import { isolated } from 'leafid/testing'

isolated()
beforeEach(() => void isolated())
