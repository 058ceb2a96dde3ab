import { draw } from './draw.mjs'

draw(process.env.LEAFID_STORE).then((told) => console.log(JSON.stringify(told)))
