/** The program that opens an address in the browser of the user, if there is a desktop. Pure. */

type Surroundings = { platform: NodeJS.Platform; env: Readonly<Record<string, string | undefined>> }

/** Undefined where only a link can be printed, for example in a session over SSH. */
export function browserProgram({ platform, env }: Surroundings): string | undefined {
  if (platform === 'darwin') return env['SSH_CONNECTION'] === undefined ? 'open' : undefined
  if (platform === 'win32') return 'explorer.exe'
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? 'xdg-open' : undefined
}
