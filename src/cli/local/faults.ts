import { defineFault } from '../../kit/fault.ts'

export const localServerLost = defineFault('local_server_lost', 'unavailable', {
  when: 'Your server stopped before it had answered a command.',
  message: (_: object) =>
    'your server stopped before it had answered; try again, or send the prompt with --direct to run it without the server',
})

export const localServerNotStarted = defineFault('local_server_not_started', 'unavailable', {
  when: 'The server that `drover up` started does not answer.',
  message: (_: object) => 'the server did not start; run "drover serve --local" to see why',
})

export const localServerSilent = defineFault('local_server_silent', 'unavailable', {
  when: 'A program is listening on the local socket but does not answer.',
  message: (d: { socket: string }) =>
    `the server on ${d.socket} does not answer; try again later, or find and stop the "drover serve" process`,
})

export const localServerDiffers = defineFault('local_server_differs', 'conflict', {
  when: "Your running server's version or settings differ from those of the command that needs it.",
  message: (d: { pid: number; difference: string; remedy: string }) =>
    `your server (process ${d.pid}) has ${d.difference}; ${d.remedy}, then try again`,
})

export const localServerNotEnded = defineFault('local_server_not_ended', 'unavailable', {
  when: 'The server that `drover down` told to stop is still running.',
  message: (d: { pid: number }) => `the server was told to stop, but is still running; kill it with "kill -9 ${d.pid}"`,
})

export const localServerBusy = defineFault('local_server_foreground', 'conflict', {
  when: 'The running server is a `drover serve` in the foreground, which `drover down` does not stop.',
  message: (d: { pid: number }) =>
    `process ${d.pid} is a foreground "drover serve", not a background server; stop it where it was started`,
})

export const serverNotRunning = defineFault('server_not_running', 'unavailable', {
  when: 'A command needs your server, but no server answers on the local socket.',
  message: (d: { socket: string }) =>
    `no server answers on ${d.socket}; start one with "drover serve", and leave server.local_socket on`,
})

export const serverAnswerInvalid = defineFault('server_answer_invalid', 'internal', {
  when: 'The program on the local socket did not answer as a drover server does.',
  message: (d: { socket: string; status: number }) =>
    `the program that listens on ${d.socket} is not a drover server of this version (status ${d.status}); restart it`,
})

export const consoleUnavailable = defineFault('console_unavailable', 'unavailable', {
  when: 'The running server has no console: it has no address that a browser can open, or `server.console` is off.',
  message: (d: { is_background: boolean; is_off: boolean }) => {
    if (d.is_off) return 'the running server has no console, because server.console is false'
    return d.is_background
      ? 'the server in the background has no console; "drover down" stops it, and "drover serve" starts one that has'
      : 'the running server has no console: it was started with --socket, or with other settings than yours'
  },
})
