const { Segment } = require('leafid')

exports.orders = new Segment('shop')
