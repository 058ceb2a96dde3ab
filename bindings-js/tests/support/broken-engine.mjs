/** The start of a program: sets the engine up to fail in its next `breaks` calls, as without memory or stack. */
export const BREAKING = `
  const { Instance } = WebAssembly
  let breaks = 0
  WebAssembly.Instance = class extends Instance {
    get exports() {
      const real = super.exports
      if (!('fillAvailable' in real)) return real
      const breaking = (act) => (...given) => {
        if (breaks === 0) return act(...given)
        breaks -= 1
        throw new WebAssembly.RuntimeError('unreachable')
      }
      return Object.fromEntries(Object.entries(real).map(([name, act]) => [name, typeof act === 'function' ? breaking(act) : act]))
    }
  }`
