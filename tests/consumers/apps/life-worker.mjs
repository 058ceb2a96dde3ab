// A service worker that draws for its pages.
import { holder, tell, wanted } from './life.mjs'

const draw = holder(wanted(location.href))

addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('message', (event) => event.waitUntil(draw().then((drawn) => tell({ page: 'worker', why: event.data, ...drawn }))))
