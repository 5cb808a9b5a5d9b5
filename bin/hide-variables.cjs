/*
 * Other programs of the same user, agents among them, can read the variables with which a process was started, in
 * /proc/PID/environ. This blanks some of them there; the process itself keeps them. In syntax that an old Node parses.
 */
const { closeSync, openSync, readFileSync, readSync, writeSync } = require('node:fs')

/** The place of `env_start` among the fields after the name of the program (proc_pid_stat(5)). */
const ENV_START = 47

/** Hides the variables for which `isHidden({ name, value })` is true. Returns the names of those that can still be read. */
exports.hideVariables = (isHidden) => {
  const variables = () => listVariables().filter(isHidden)
  try {
    if (process.platform === 'linux') blank(variables())
  } catch {
    // What can still be read is returned.
  }
  return variables().map(({ name }) => name)
}

/** What other programs see. On Linux, `at` is the place of the text in the block of all variables. */
function listVariables() {
  if (process.platform !== 'linux') return Object.entries(process.env).map(([name, value]) => ({ name, value }))
  const variables = []
  let at = 0
  for (const text of readFileSync('/proc/self/environ', 'latin1').split('\0')) {
    const [name] = text.split('=', 1)
    const value = Buffer.from(text.slice(name.length + 1), 'latin1').toString('utf8')
    if (text !== '') variables.push({ name, value, at, text })
    at += text.length + 1
  }
  return variables
}

function blank(variables) {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[ENV_START])
  for (const { name } of variables) moveVariable(name)
  const memory = openSync('/proc/self/mem', 'r+')
  try {
    for (const { text, at } of variables) {
      const bytes = Buffer.alloc(text.length)
      readSync(memory, bytes, 0, bytes.length, start + at)
      // Never write to a place that has something else.
      if (bytes.toString('latin1') === text) writeSync(memory, bytes.fill(0), 0, bytes.length, start + at)
    }
  } finally {
    closeSync(memory)
  }
}

/** A variable that is set again has new memory. */
function moveVariable(name) {
  const value = process.env[name]
  delete process.env[name]
  if (value !== undefined) process.env[name] = value
}
