/** What the settings say about a sandbox, in the units that Linux uses. Pure. */
import type { SandboxSettings } from './create-policy.ts'

const MEGABYTE = 2 ** 20

/** The section `sandbox` of the config. */
export type SandboxSection = {
  hosts: readonly string[]
  check_hosts: readonly string[]
  env: readonly string[]
  read: readonly string[]
  write: readonly string[]
  caches: readonly string[]
  max_memory_mb: number
  max_processes: number
  max_file_mb: number
  max_disk_mb: number
  max_total_memory_mb: number
}

export type SandboxAdditions = Partial<Pick<SandboxSettings, 'hosts' | 'env' | 'read' | 'write'>>

export function toSandboxSettings(section: SandboxSection, more: SandboxAdditions = {}): SandboxSettings {
  return {
    hosts: [...section.hosts, ...(more.hosts ?? [])],
    env: [...section.env, ...(more.env ?? [])],
    read: [...section.read, ...(more.read ?? [])],
    write: [...section.write, ...(more.write ?? [])],
    limits: {
      memoryBytes: section.max_memory_mb === 0 ? undefined : section.max_memory_mb * MEGABYTE,
      processes: section.max_processes,
      fileBytes: section.max_file_mb * MEGABYTE,
      diskBytes: section.max_disk_mb === 0 ? undefined : section.max_disk_mb * MEGABYTE,
      totalMemoryBytes: section.max_total_memory_mb === 0 ? undefined : section.max_total_memory_mb * MEGABYTE,
    },
  }
}

/** Checks and setups install packages, and talk to no model. */
export function toCheckSettings(section: SandboxSection): SandboxSettings {
  return toSandboxSettings({ ...section, hosts: section.check_hosts })
}
