import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What a response has put on its connection, headers included. Pipelined ones share it, so each counts in its own turn. */
export function countBytes(response: ServerResponse): () => number {
  let turn: { socket: Socket; before: number } | undefined
  let total: number | undefined
  const begin = (socket: Socket) => {
    turn = { socket, before: socket.bytesWritten }
  }
  const soFar = () => (turn === undefined ? 0 : turn.socket.bytesWritten - turn.before)
  if (response.socket === null) response.once('socket', begin)
  else begin(response.socket)
  // Before Node hands the connection on to the next response.
  response.prependOnceListener('finish', () => {
    total = soFar()
  })
  return () => total ?? soFar()
}
