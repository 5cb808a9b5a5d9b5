import { pathToFileURL } from 'node:url'
import { replaceFile } from '../../kit/files/write-file.ts'
import { toChildEnvironment } from '../../kit/process/child-environment.ts'
import { findProgram } from '../../kit/process/find-program.ts'
import { startDetached } from '../../kit/process/process.ts'
import type { ConsoleLink } from '../../service/local-protocol.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { consoleUnavailable } from '../local/faults.ts'
import { askStatus } from '../local/local-server.ts'
import { callServer } from '../local/server-client.ts'
import { findUserPaths, readSettings } from '../settings.ts'

export const run: RunCommand = async (invocation) => {
  const { out, err } = invocation.runtime.terminal
  const link = (await callServer(invocation, { method: 'POST', path: '/local/console-link' })) as ConsoleLink
  if (link.url === null) throw await whyNoConsole(invocation)
  await out.write(`${link.url}\n`)
  if (link.is_one_time) await err.write('drover: the link logs you in once, within 5 minutes\n')
  if (out.isTty && !invocation.flags.isOn('print')) startBrowser(invocation, { ...link, url: link.url })
  return 0
}

/** The background server has none, whatever the settings say. */
async function whyNoConsole(invocation: Invocation) {
  const status = await askStatus(invocation)
  const isBackground = status?.is_background === true
  const { config } = await readSettings(invocation)
  return consoleUnavailable({ is_background: isBackground, is_off: !isBackground && !config.server.console })
}

/** A link that logs in is opened through a file, because other users can read the arguments of a program. */
function startBrowser(invocation: Invocation, { url, is_one_time: isOneTime }: ConsoleLink & { url: string }): void {
  const { env, cwd } = invocation.runtime
  const name = browserProgram({ platform: process.platform, env })
  const program = name === undefined ? undefined : findProgram(name, { env, cwd })
  if (program === undefined) return
  const address = isOneTime ? redirectingPage(invocation, url) : url
  startDetached({ argv: [program, address], cwd, env: toChildEnvironment(env) })
}

/** Only the user can read the page. The link in it works once. */
function redirectingPage(invocation: Invocation, url: string): string {
  const path = findUserPaths(invocation).consolePage
  const page = `<!doctype html>\n<meta http-equiv="refresh" content="0; url=${url}">\n<title>drover</title>\n`
  replaceFile({ path, bytes: Buffer.from(page), mode: 0o600 })
  return pathToFileURL(path).href
}

/** The program that opens an address in the browser of the user, if there is a desktop. Pure. */

type Surroundings = { platform: NodeJS.Platform; env: Readonly<Record<string, string | undefined>> }

/** Undefined where only a link can be printed, for example in a session over SSH. */
export function browserProgram({ platform, env }: Surroundings): string | undefined {
  if (platform === 'darwin') return env['SSH_CONNECTION'] === undefined ? 'open' : undefined
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? 'xdg-open' : undefined
}
