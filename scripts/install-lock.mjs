// Allows one installation at a time per clone. The lock is a file that names its processes; the next run removes a lock
// whose processes are all dead. (kit/files/lock.ts, which the kernel releases, needs a Node that may not be installed yet.)
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'

const POLL_MS = 200
const GUARD_STALE_MS = 10_000

/** Waits for the lock; `onWait` is called once with its holders. */
export async function takeInstallLock(path, onWait) {
  let hasReported = false
  for (;;) {
    if (createWith(path, [mark(process.pid)])) return handle(path)
    const owners = readOwners(path)
    if (owners !== undefined && !owners.some(isAlive)) breakLock(path, owners)
    else {
      if (!hasReported && owners !== undefined) onWait(owners[0].split(':')[0])
      hasReported = true
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }
}

function handle(path) {
  return {
    /** Adds the installer itself: it can outlive a killed parent, and then the lock must still hold. */
    names: (child) => {
      writeFileSync(`${path}.${process.pid}`, lineFor([mark(process.pid), mark(child)]))
      renameSync(`${path}.${process.pid}`, path)
    },
    release: () => rmSync(path, { force: true }),
  }
}

/** A hard link appears atomically, so no process ever reads a lock without its owner. */
function createWith(path, owners) {
  const own = `${path}.${process.pid}`
  writeFileSync(own, lineFor(owners))
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(own, { force: true })
  }
}

/**
 * Two waiting processes may find the same dead lock, and the slower one must not delete the new lock of the faster one. So
 * a dead lock is removed under a guard file, after a second check.
 */
function breakLock(path, deadOwners) {
  const guard = `${path}.breaking`
  if (!createWith(guard, [mark(process.pid)])) {
    if (ageMs(guard) > GUARD_STALE_MS) rmSync(guard, { force: true })
    return
  }
  try {
    if (lineFor(readOwners(path) ?? []) === lineFor(deadOwners)) rmSync(path, { force: true })
  } finally {
    rmSync(guard, { force: true })
  }
}

function readOwners(path) {
  try {
    return readFileSync(path, 'utf8').trim().split(' ')
  } catch {
    return undefined
  }
}

function lineFor(owners) {
  return `${owners.join(' ')}\n`
}

/** Identifies a process by id and start time, if the system reports it, because ids are reused. */
function mark(pid) {
  return `${pid}:${statOf(pid)?.started ?? ''}`
}

function isAlive(owner) {
  const [pid, started] = owner.split(':')
  const stat = statOf(pid)
  if (stat !== undefined) return stat.state !== 'Z' && stat.started === started
  try {
    process.kill(Number(pid), 0)
    return started === ''
  } catch (error) {
    return error.code === 'EPERM' && started === ''
  }
}

/** State and start time of a process from Linux's /proc; a zombie is in state Z. */
function statOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return { state: fields[0], started: fields[19] }
  } catch {
    return undefined
  }
}

function ageMs(path) {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
}
