/** A host: a program for coding agents that drover can put its capabilities into. */
import type { Capability, CapabilityName } from './capabilities.ts'

export const HOST_IDS = [
  'claude',
  'codex',
  'copilot',
  'cursor',
  'kilo',
  'kiro',
  'opencode',
  'pi',
  'qwen',
  'windsurf',
] as const

export type HostId = (typeof HOST_IDS)[number]

/** Some hosts can be called in two ways that take different files; which one is chosen when they are installed. */
export type Surface = 'ide' | 'cli'

export const SURFACES: readonly Surface[] = ['ide', 'cli']

/**
 * A file that drover generates for a host. A `callable` is what the host offers to be called; it needs every `support`
 * of its capability, the `policy` included: that is a support which keeps the host from calling it unasked.
 */
export type GeneratedFile = {
  /** Relative to the root of the repository, with `/`. */
  readonly path: string
  readonly text: string
  readonly capability: CapabilityName
  readonly role: 'callable' | 'support' | 'policy'
}

export type Host = {
  readonly id: HostId
  /** What people call it. */
  readonly name: string
  /** A repository in which one of these is a directory uses the host. */
  readonly directories: readonly [string, ...string[]]
  /** Under this directory drover keeps what it needs to know about its files. */
  readonly ownershipRoot: string
  /** None for a host that can be called in one way only. */
  readonly surfaces: readonly Surface[]
  /** How a person calls a capability there, in words or as what to type. */
  readonly invocation: (name: CapabilityName, surface: Surface | undefined) => string
  /** The files of one capability; the surface is given for hosts that have surfaces. */
  readonly filesOf: (capability: Capability, surface: Surface | undefined) => readonly GeneratedFile[]
}

/** Generated files can be read by all; what drover keeps for itself cannot. */
export const GENERATED_FILE_MODE = 0o644
export const OWN_FILE_MODE = 0o600

export function manifestPath(host: Host): string {
  return `${host.ownershipRoot}/drover/ownership-manifest.json`
}

export function sentinelPath(host: Host): string {
  return `${host.ownershipRoot}/drover/.adapter-generated`
}

/** The content of the sentinel. It shows that drover was installed here, but not which files are drover's. */
export const SENTINEL = 'generated\n'
