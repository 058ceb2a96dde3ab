#!/usr/bin/env node
// `npx leafid` is the program `leafid`, which the package leafid-server brings.
'use strict'
try {
  require('leafid-server')
} catch (error) {
  if (error.code !== 'MODULE_NOT_FOUND') throw error
  console.error('leafid: there is no program `leafid`: npm install leafid-server, or run npx leafid-server')
  process.exitCode = 1
}
