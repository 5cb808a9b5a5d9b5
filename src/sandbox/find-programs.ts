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
  /** Forwards like it and starts faster, where there is socat(1). */
  relay?: Relay | undefined
  /** prlimit(1), if there is one. */
  limiter: string | undefined
  /** sandbox-exec(1) of macOS, in place of bubblewrap. */
  seatbelt?: string
  /** systemd-run(1), if there is a user session of systemd to talk to. */
  scope?: Scope | undefined
}

type Relay = { file: string; shell: string; socat: string }

export type Scope = { program: string; runtimeDirectory: string }

const INSTALL_BUBBLEWRAP =
  'install bubblewrap (Debian and Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap; Alpine: apk add bubblewrap)'

const ON_MACOS =
  'on macOS only `drover sandbox run` has one, by sandbox-exec, and no one has tried to leave it; agents and checks run without it'

/** For a single command that a person runs: on macOS a profile of Seatbelt, which has not been tried. */
export function findCommandSandbox(places: SearchPlaces, forwarder: string): SandboxPrograms {
  if (process.platform !== 'darwin') return findSandboxPrograms(places, forwarder)
  const seatbelt = '/usr/bin/sandbox-exec'
  return { bubblewrap: seatbelt, seatbelt, node: process.execPath, forwarder, limiter: undefined }
}

/** Of the last search, as a server searches for each prompt. */
let found: { key: string; programs: SandboxPrograms } | undefined

/** Throws `sandbox_unavailable`. `forwarder` is bin/sandbox-forwarder.cjs. */
export function findSandboxPrograms(places: SearchPlaces, forwarder: string): SandboxPrograms {
  if (process.platform === 'darwin') throw sandboxUnavailable({ problem: ON_MACOS })
  if (process.platform !== 'linux')
    throw sandboxUnavailable({ problem: `it needs Linux, and this is ${process.platform}` })
  if (SECCOMP_FILTERS[process.arch] === undefined)
    throw sandboxUnavailable({ problem: `it has no system call filter for ${process.arch}, only for x64 and arm64` })
  const key = [places.env['PATH'], places.env['XDG_RUNTIME_DIR'], forwarder].join('\0')
  if (found?.key === key && existsSync(found.programs.bubblewrap)) return found.programs
  const bubblewrap = findProgram('bwrap', places)
  if (bubblewrap === undefined) throw sandboxUnavailable({ problem: `bwrap is not in PATH; ${INSTALL_BUBBLEWRAP}` })
  const limiter = findProgram('prlimit', places)
  const programs = {
    bubblewrap,
    node: process.execPath,
    forwarder,
    relay: findRelay(forwarder),
    limiter,
    scope: findScope(places),
  }
  found = { key, programs }
  return programs
}

/** Of the system only: its directories are always there inside. */
function findRelay(forwarder: string): Relay | undefined {
  const relay = { file: forwarder.replace(/cjs$/, 'sh'), shell: '/bin/sh', socat: '/usr/bin/socat' }
  return Object.values(relay).every((path) => existsSync(path)) ? relay : undefined
}

function findScope(places: SearchPlaces): Scope | undefined {
  const runtimeDirectory = places.env['XDG_RUNTIME_DIR'] ?? ''
  if (runtimeDirectory === '' || !existsSync(join(runtimeDirectory, 'systemd', 'private'))) return undefined
  const program = findProgram('systemd-run', places)
  return program === undefined ? undefined : { program, runtimeDirectory }
}

/**
 * The words of bubblewrap if a part of /proc is covered or read-only outside: Linux mounts no other one then, which would show
 * what is hidden.
 */
const MASKED_PROC = /mount proc on|[ug]id map: Read-only|\/proc\/\S+: (?:No such file|Read-only)/i

/** The words of bubblewrap if a kernel, a container or AppArmor does not let it create namespaces. */
const NO_NAMESPACES = /namespace|uid map|gid map|Operation not permitted|Permission denied/i

/** Why no command was started, from what bubblewrap printed. Pure. */
export function explainFailure(stderr: string): string {
  const said = stderr.trim().split('\n').at(-1) ?? ''
  const why = MASKED_PROC.test(said)
    ? 'a part of /proc is hidden or read-only for drover, so no sandbox can mount its own; in a unit of systemd, remove ProtectKernelTunables, ProtectKernelLogs, ProtectHostname and ProcSubset; for a container, use --security-opt systempaths=unconfined'
    : NO_NAMESPACES.test(said)
      ? 'this kernel or container does not allow user namespaces; allow them, or run drover outside of the container'
      : 'bubblewrap cannot start a command; version 0.7 or newer is needed'
  return `${why} (${said})`
}
