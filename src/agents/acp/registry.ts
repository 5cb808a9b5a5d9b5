/**
 * The agents of the ACP registry (https://github.com/agentclientprotocol/registry), as its file has them, without what is only shown. Read
 * from its revision 3de1678346d1 of 2026-02-07. `drover backends add NAME --registry FILE` takes a newer file.
 */
import { posix } from 'node:path'
import { isObject, type JsonRecord, objectAt, objectsAt, textAt, textsAt } from '../adapter/json-fields.ts'

/** How an agent of the registry is started. */
export type RegistryCommand = { command: readonly string[]; env: Readonly<Record<string, string>> }

/** Undefined: the registry has no such agent, or none for this platform. A program must be on PATH: drover downloads nothing. */
export function findInRegistry(registry: JsonRecord, name: string, platform = PLATFORM): RegistryCommand | undefined {
  const entry = objectsAt(registry, 'agents').find((agent) => textAt(agent, 'id') === name)
  const distribution = objectAt(entry, 'distribution')
  const [npx, uvx] = [objectAt(distribution, 'npx'), objectAt(distribution, 'uvx')]
  const binary = objectAt(objectAt(distribution, 'binary'), platform)
  if (npx !== undefined) return toCommand(npx, ['npx', '-y'], textAt(npx, 'package'))
  if (uvx !== undefined) return toCommand(uvx, ['uvx'], textAt(uvx, 'package'))
  return binary && toCommand(binary, [], posix.basename(textAt(binary, 'cmd') ?? ''))
}

export function namesInRegistry(registry: JsonRecord): string[] {
  return objectsAt(registry, 'agents').flatMap((agent) => textAt(agent, 'id') ?? [])
}

function toCommand(launch: JsonRecord, runner: readonly string[], name = ''): RegistryCommand | undefined {
  if (name === '') return undefined
  const given = launch['env']
  const env = isObject(given)
    ? Object.entries(given).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
    : []
  return { command: [...runner, name, ...textsAt(launch, 'args')], env: Object.fromEntries(env) }
}

const PLATFORM = `${process.platform}-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}`

const on = (platforms: readonly string[], launch: JsonRecord) =>
  Object.fromEntries(platforms.map((platform) => [platform, launch]))

export const REGISTRY: JsonRecord = {
  version: '1.0.0',
  agents: [
    {
      id: 'auggie',
      version: '0.15.0',
      distribution: {
        npx: { package: '@augmentcode/auggie@0.15.0', args: ['--acp'], env: { AUGMENT_DISABLE_AUTO_UPDATE: '1' } },
      },
    },
    {
      id: 'claude-code-acp',
      version: '0.16.0',
      distribution: { npx: { package: '@zed-industries/claude-code-acp@0.16.0' } },
    },
    {
      id: 'codex-acp',
      version: '0.9.2',
      distribution: {
        binary: on(['darwin-aarch64', 'darwin-x86_64', 'linux-aarch64', 'linux-x86_64'], { cmd: './codex-acp' }),
      },
    },
    {
      id: 'factory-droid',
      version: '0.56.3',
      distribution: {
        binary: on(['darwin-aarch64', 'darwin-x86_64', 'linux-x86_64', 'linux-aarch64'], {
          cmd: './droid',
          args: ['exec', '--output-format', 'acp'],
          env: { DROID_DISABLE_AUTO_UPDATE: 'true', FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false' },
        }),
      },
    },
    {
      id: 'gemini',
      version: '0.27.3',
      distribution: { npx: { package: '@google/gemini-cli@0.27.3', args: ['--experimental-acp'] } },
    },
    {
      id: 'github-copilot',
      version: '1.425.0',
      distribution: { npx: { package: '@github/copilot-language-server@1.425.0', args: ['--acp'] } },
    },
    {
      id: 'kimi',
      version: '1.9.0',
      distribution: {
        binary: on(['darwin-aarch64', 'linux-aarch64', 'linux-x86_64'], { cmd: './kimi', args: ['acp'] }),
      },
    },
    {
      id: 'mistral-vibe',
      version: '2.0.2',
      distribution: {
        binary: on(['darwin-aarch64', 'darwin-x86_64', 'linux-aarch64', 'linux-x86_64'], { cmd: './vibe-acp' }),
      },
    },
    {
      id: 'opencode',
      version: '1.1.53',
      distribution: {
        binary: on(['darwin-aarch64', 'darwin-x86_64', 'linux-aarch64', 'linux-x86_64'], {
          cmd: './opencode',
          args: ['acp'],
        }),
      },
    },
    {
      id: 'qoder',
      version: '0.1.26',
      distribution: { npx: { package: '@qoder-ai/qodercli@0.1.26', args: ['--acp'] } },
    },
    {
      id: 'qwen-code',
      version: '0.9.1',
      distribution: { npx: { package: '@qwen-code/qwen-code@0.9.1', args: ['--acp', '--experimental-skills'] } },
    },
  ],
}
