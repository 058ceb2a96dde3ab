// webpack, which has to say nothing.
import assert from 'node:assert/strict'
import webpack from 'webpack'

export async function webpacked(options) {
  const compiler = webpack({ mode: 'production', ...options })
  const stats = await new Promise((resolve, reject) => compiler.run((error, done) => (error ? reject(error) : resolve(done))))
  const { errors, warnings } = stats.toJson({ errors: true, warnings: true })
  assert.deepEqual([errors, warnings], [[], []])
}
