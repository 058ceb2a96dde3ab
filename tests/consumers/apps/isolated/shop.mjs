import { Segment } from 'leafid'

export const orders = new Segment('shop')
