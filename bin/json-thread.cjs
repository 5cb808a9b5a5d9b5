// Starts the thread that reads large request bodies (src/http/request/json-thread.ts), from source in a clone, else from the bundle.
const { existsSync } = require('node:fs')
const { join } = require('node:path')

const source = join(__dirname, '..', 'src', 'http', 'request', 'json-thread.ts')
void import(existsSync(source) ? '../src/http/request/json-thread.ts' : '../dist/json-thread.js')
