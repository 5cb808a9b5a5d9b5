/** A host: a program for coding agents that drover can put its capabilities into. */
import type { Capability, CapabilityName } from './capabilities.ts'

export const HOST_IDS = [
  'agents',
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

/** Some hosts can be called in two ways, which need different files. The user chooses one at installation. */
export type Surface = 'ide' | 'cli'

export const SURFACES: readonly Surface[] = ['ide', 'cli']

/**
 * A file that drover generates for a host. A `callable` is the entry point that the user calls. It needs every `support`
 * file of its capability. A `policy` is a support file that keeps the host from calling the capability on its own.
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
  /** The name of the product. */
  readonly name: string
  /** The host is detected if one of these is a directory in the repository. */
  readonly directories: readonly [string, ...string[]]
  /** The directory with the ownership manifest and the sentinel. */
  readonly ownershipRoot: string
  /** Empty for a host that can be called in one way only. */
  readonly surfaces: readonly Surface[]
  /** How the user calls a capability: what to type, or a description. */
  readonly invocation: (name: CapabilityName, surface: Surface | undefined) => string
  /** The files of one capability. `surface` is set for hosts with surfaces. */
  readonly filesOf: (capability: Capability, surface: Surface | undefined) => readonly GeneratedFile[]
}

/** Generated files are readable by everybody. The manifest and the sentinel are private. */
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
