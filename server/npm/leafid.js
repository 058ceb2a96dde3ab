#!/usr/bin/env node
// Runs the program `leafid` in place of this process, as far as Node can: with its arguments, terminal, signals and end.
'use strict'
const { spawn } = require('node:child_process')

const platform = `${process.platform}-${process.arch}`
const isWindows = process.platform === 'win32'

function found() {
  try {
    return require.resolve(`leafid-server-${platform}/leafid${isWindows ? '.exe' : ''}`)
  } catch {
    console.error(`leafid: the package leafid-server-${platform} is not installed: npm install leafid-server, with optional packages; for a system without one, cargo install leafid-server`)
    process.exit(1)
  }
}

const child = spawn(found(), process.argv.slice(2), { stdio: 'inherit' })
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
// Passes signals on, and ends after the program. On Windows the console sends Ctrl-C to both, and `kill` would terminate the program without its shutdown.
for (const signal of signals) process.on(signal, () => isWindows || child.kill(signal))
child.on('error', ({ message }) => {
  console.error(`leafid: ${message}`)
  process.exit(1)
})
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code)
  for (const each of signals) process.removeAllListeners(each)
  process.kill(process.pid, signal)
})
