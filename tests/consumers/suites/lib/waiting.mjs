// Waiting for what pages and programs tell.

/** How long a slow machine may take over one thing. */
const LIMIT_MS = 120_000

/** Waits for something, or fails with what went wrong meanwhile. */
export async function within(work, what, wrong, ms = LIMIT_MS) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no ${what} within ${ms} ms: ${wrong.join('; ')}`)), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** `until` gives what a question finds, which it is asked again at each `look`. */
export function watched() {
  const waiting = new Set()
  const look = () => {
    for (const ask of waiting) ask()
  }
  const until = (find) =>
    new Promise((resolve, reject) => {
      const ask = () => {
        try {
          const found = find()
          if (!found) return
          resolve(found)
        } catch (error) {
          reject(error)
        }
        waiting.delete(ask)
      }
      waiting.add(ask)
      ask()
    })
  return { look, until }
}
