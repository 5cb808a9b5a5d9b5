// Starts the demo agent (src/demo/demo-agent.ts) as drover.cjs starts drover: from source in a clone, else from the bundle.
const { existsSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { join } = require('node:path')

enableCompileCache()
void import(
  existsSync(join(__dirname, '..', 'src', 'demo', 'demo-agent.ts'))
    ? '../src/demo/demo-agent.ts'
    : '../dist/demo/demo-agent.js'
)
