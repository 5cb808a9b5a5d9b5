import { Type } from 'typebox'
import { literals, strict } from '../kit/shape.ts'

const paths = (description: string) =>
  Type.Array(Type.String({ minLength: 1 }), { default: [], description, 'x-rule': 'absolute paths' })

/** As prompts have them. */
const SANDBOX_USES = ['off', 'on', 'required'] as const

export const SandboxSection = strict({
  mode: literals(SANDBOX_USES, {
    default: 'off',
    description:
      'Whether agents run in a sandbox. `on`: where this machine has one, and otherwise without one and with a warning. `required`: only in one. A request can turn `on` off, but not `required`.',
  }),
  hosts: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'Hosts that a sandboxed command may reach: `example.com`, `*.example.com`, an IP address or a CIDR range, each with an optional `:PORT` (default: 443 and 80), or a preset for package registries: `npm`, `pypi`, `crates`, `go`, `debian`. A name that resolves to a private address is refused unless the address is listed too.',
    'x-rule': 'hosts or presets',
  }),
  check_hosts: Type.Array(Type.String({ minLength: 1 }), {
    default: ['npm', 'pypi', 'crates', 'go', 'debian'],
    description: 'The same for checks and setups of driven runs and comparisons.',
    'x-rule': 'hosts or presets',
  }),
  env: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'Variables that a sandboxed command gets, besides `PATH`, `HOME`, `LANG` and others without secrets. A name may end with `*`.',
    'x-rule': 'names of variables',
  }),
  read: paths('Paths that a sandboxed command may read, besides the system, toolchains and the repository.'),
  write: paths('Paths that a sandboxed command may write, such as caches of package managers.'),
  caches: Type.Array(Type.String({ minLength: 1 }), {
    default: [
      ...['.npm', '.cache', '.cargo/registry', '.cargo/git', 'go/pkg', '.gradle', '.m2/repository'],
      ...['.bun/install/cache', '.nuget/packages'],
    ],
    description:
      'Directories in the home directory in which checks and setups keep caches. They see a directory of drover there, one for each repository. Your own caches are neither read nor changed.',
    'x-rule': 'paths in the home directory',
  }),
  max_processes: Type.Integer({
    default: 4096,
    minimum: 16,
    maximum: 1_000_000,
    description: 'Processes and threads that a sandboxed command may have. Not enforced for root.',
  }),
  max_memory_mb: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    'x-unit': 'megabytes',
    description: 'Memory in MB that each process of a sandboxed command may use. 0: no limit.',
  }),
  max_total_memory_mb: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    'x-unit': 'megabytes',
    description:
      'Memory in MB that all processes of a sandboxed command may use together. 0: no limit. Needs a user session of systemd, which then limits the processes of root too. Without one, nothing starts in a sandbox.',
  }),
  max_file_mb: Type.Integer({
    default: 8192,
    minimum: 1,
    maximum: 1_000_000_000,
    'x-unit': 'megabytes',
    description: 'Maximum size in MB of a file that a sandboxed command writes.',
  }),
  max_disk_mb: Type.Integer({
    default: 8192,
    minimum: 0,
    maximum: 1_000_000_000,
    'x-unit': 'megabytes',
    description:
      'MB that a sandboxed command, or a turn of an agent, may write to disks. drover looks twice a second, and ends it. 0: no limit.',
  }),
})
