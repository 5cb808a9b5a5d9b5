#!/usr/bin/env node
// The entry in syntax that an old Node can read: it gets a sentence instead of a syntax error.
const { existsSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { join } = require('node:path')

const NEEDED = 24
const isClone = existsSync(join(__dirname, '..', 'src', 'bin.ts'))

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  const remedy = isClone
    ? `Its clone brings its own: run "npm start" once in ${join(__dirname, '..')}, then "npx drover" there.`
    : `Install it from https://nodejs.org/en/download or with a version manager, as in "nvm install ${NEEDED}".`
  process.stderr.write(`drover: needs Node ${NEEDED} or newer, and this is Node ${process.versions.node}.\n${remedy}\n`)
  process.exit(1)
}

enableCompileCache()
// A clone runs its sources as they are; the published package holds the same, bundled.
if (isClone) void import('../src/bin.ts')
else require('./run-bundle.cjs').runBundle()
