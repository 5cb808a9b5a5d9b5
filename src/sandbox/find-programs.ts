/** Finds what the sandbox consists of, or says what is missing. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, type SearchPlaces } from '../kit/process/find-program.ts'
import { sandboxUnavailable } from './faults.ts'
import { SECCOMP_FILTERS } from './seccomp.generated.js'

export type SandboxPrograms = {
  bubblewrap: string
  node: string
  forwarder: string
  /** prlimit(1), if there is one. */
  limiter: string | undefined
  /** systemd-run(1), if there is a user session of systemd to talk to. */
  scope?: Scope | undefined
}

export type Scope = { program: string; runtimeDirectory: string }

const INSTALL_BUBBLEWRAP =
  'install bubblewrap (Debian and Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap; Alpine: apk add bubblewrap)'

/** Throws `sandbox_unavailable`. `forwarder` is bin/sandbox-forwarder.cjs. */
export function findSandboxPrograms(places: SearchPlaces, forwarder: string): SandboxPrograms {
  if (process.platform !== 'linux')
    throw sandboxUnavailable({ problem: `it needs Linux, and this is ${process.platform}` })
  if (SECCOMP_FILTERS[process.arch] === undefined)
    throw sandboxUnavailable({ problem: `it has no system call filter for ${process.arch}, only for x64 and arm64` })
  const bubblewrap = findProgram('bwrap', places)
  if (bubblewrap === undefined) throw sandboxUnavailable({ problem: `bwrap is not in PATH; ${INSTALL_BUBBLEWRAP}` })
  const limiter = findProgram('prlimit', places)
  return { bubblewrap, node: process.execPath, forwarder, limiter, scope: findScope(places) }
}

function findScope(places: SearchPlaces): Scope | undefined {
  const runtimeDirectory = places.env['XDG_RUNTIME_DIR'] ?? ''
  const program = findProgram('systemd-run', places)
  if (program === undefined || runtimeDirectory === '') return undefined
  return existsSync(join(runtimeDirectory, 'systemd', 'private')) ? { program, runtimeDirectory } : undefined
}
