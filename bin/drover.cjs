#!/usr/bin/env node
// The entry point, written so that an old Node can parse it and print a message instead of a syntax error.
const { existsSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { join } = require('node:path')

const REQUIRED = 24
const isClone = existsSync(join(__dirname, '..', 'src', 'bin.ts'))

if (Number(process.versions.node.split('.')[0]) < REQUIRED) {
  const remedy = isClone
    ? `A clone installs its own Node: run "npm start" once in ${join(__dirname, '..')}, then "npx drover" there.`
    : `Install it from https://nodejs.org/en/download or with a version manager, for example "nvm install ${REQUIRED}".`
  process.stderr.write(
    `drover: needs Node ${REQUIRED} or newer, but this is Node ${process.versions.node}.\n${remedy}\n`,
  )
  process.exit(1)
}

enableCompileCache()
// A clone runs its sources; the published package contains a bundle of them.
if (isClone) void import('../src/bin.ts')
else require('./run-bundle.cjs').runBundle()
