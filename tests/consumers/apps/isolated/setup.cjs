const { isolated } = require('leafid/testing')

isolated()
beforeEach(() => void isolated())
