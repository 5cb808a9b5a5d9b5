/** Files with secrets that settings and variables name. They can be anywhere, such as in /etc. Pure. */
import { resolve } from 'node:path'
import type { Environment } from '../kit/process/child-environment.ts'
import type { Config } from './config.shape.ts'
import type { Paths } from './paths.ts'

type Named = Pick<Config, 'server' | 'notify'>

export function secretFilesIn({ server, notify }: Named): string[] {
  const files = notify.targets.flatMap(({ url_file = '', secret_file = '' }) => [url_file, secret_file])
  return [server.webhook_secret_file, ...files].filter((file) => file !== '')
}

/** What no sandboxed command sees, besides the directory of drover. */
export function hiddenFiles(
  config: Named,
  { paths, env, cwd }: { paths: Pick<Paths, 'config'>; env: Environment; cwd: string },
): string[] {
  const { DROVER_API_KEYS_FILE: keys = '', GH_CONFIG_DIR: gh = '' } = env
  const named = [keys, gh].filter((path) => path !== '')
  return [paths.config, ...named.map((path) => resolve(cwd, path)), ...secretFilesIn(config)]
}
