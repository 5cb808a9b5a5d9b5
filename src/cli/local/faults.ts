import { defineFault } from '../../kit/fault.ts'

export const localServerLost = defineFault({
  code: 'local_server_lost',
  kind: 'unavailable',
  when: 'The server of this user stopped while it ran a prompt from the command line.',
  message: (_: object) =>
    'the server of this user stopped before the prompt ended; send the prompt again, or use --direct to run it without the server',
})

export const localServerNotStarted = defineFault({
  code: 'local_server_not_started',
  kind: 'unavailable',
  when: 'The server that `drover up` has started does not answer.',
  message: (_: object) => 'the server did not start; run "drover serve --local" to see why',
})

export const localServerSilent = defineFault({
  code: 'local_server_silent',
  kind: 'unavailable',
  when: 'A program has the local socket, but does not answer.',
  message: (d: { socket: string }) =>
    `the server on ${d.socket} does not answer; try again later, or stop its process, which has "serve" in its command line`,
})

export const localServerDiffers = defineFault({
  code: 'local_server_differs',
  kind: 'conflict',
  when: 'The server of this user has a different version or different settings from the command that needs it.',
  message: (d: { pid: number; isBackground: boolean }) =>
    `the server of this user (process ${d.pid}) has a different version or different settings; ${d.isBackground ? 'stop it with "drover down"' : 'restart that "drover serve" with the settings of this command'}, then try again`,
})

export const localServerNotEnded = defineFault({
  code: 'local_server_not_ended',
  kind: 'unavailable',
  when: 'The server that `drover down` told to stop is still running.',
  message: (d: { pid: number }) => `the server was told to stop, but is still running; kill it with "kill -9 ${d.pid}"`,
})

export const localServerBusy = defineFault({
  code: 'local_server_foreground',
  kind: 'conflict',
  when: 'The server that `drover down` finds is a `drover serve`, which it must not stop.',
  message: (d: { pid: number }) =>
    `process ${d.pid} is a "drover serve", not a server in the background; stop it where it was started`,
})

export const serverNotRunning = defineFault({
  code: 'server_not_running',
  kind: 'unavailable',
  when: 'A command needs the server of the user, and none answers on the local socket.',
  message: (d: { socket: string }) =>
    `no server answers on ${d.socket}; start one with "drover serve", and leave server.local_socket on`,
})

export const serverAnswerInvalid = defineFault({
  code: 'server_answer_invalid',
  kind: 'internal',
  when: 'The program on the local socket did not answer as a drover server does.',
  message: (d: { socket: string; status: number }) =>
    `the program that listens on ${d.socket} is not a drover server of this version (status ${d.status}); restart it`,
})

export const consoleUnavailable = defineFault({
  code: 'console_unavailable',
  kind: 'unavailable',
  when: 'The running server has no console: it has no address that a browser can open, or `server.console` is off.',
  message: (_: Record<never, never>) =>
    'the running server has no console; start one with "drover serve", and without server.console: false',
})
