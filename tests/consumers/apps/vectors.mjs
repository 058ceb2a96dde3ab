// Replays every file of vectors in a page.
import * as leafid from 'leafid'
import * as publicIds from 'leafid/public'
import * as registry from 'leafid/registry'
import * as testing from 'leafid/testing'
import { replay } from '../js/support/vectors.mjs'
import { tell } from './tell.mjs'

tell(async () => {
  const names = new URLSearchParams(location.search).get('names').split(',')
  const counts = {}
  const wrong = []
  for (const name of names) {
    const file = await (await fetch(`/vectors/${name}.json`)).json()
    const told = await replay(leafid, { ...testing, registry, publicIds }, file)
    counts[name] = told.count
    wrong.push(...told.wrong)
  }
  return { counts, wrong }
})
