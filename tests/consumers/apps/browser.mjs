import { draw } from './draw.mjs'
import { tell } from './tell.mjs'

tell(draw)
