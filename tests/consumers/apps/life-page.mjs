// A page that draws when it is shown, also from the back/forward cache, and on request.
import { holder, tell, wanted } from './life.mjs'

const what = wanted(location.href)
const draw = holder(what)
let shown = 0

async function tells(why) {
  const copied = sessionStorage.getItem('last')
  const drawn = await draw()
  sessionStorage.setItem('last', drawn.numbers.at(-1))
  await tell({ page: what.name, why, copied, ...drawn })
}

addEventListener('pageshow', async ({ persisted }) => {
  shown += 1
  await tells(persisted ? 'back' : 'loaded')
  // Visits another page, which goes back at once.
  if (shown < Number(what.lives ?? 1)) setTimeout(() => (location.href = what.stays === undefined ? '/away/' : '/away/?stays'), 1)
})
globalThis.again = () => tells('again')
