/** What goes wrong below the requests: bytes that are not HTTP, headers without end, senders that take too long. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Fault } from '../../kit/fault.ts'

/** The latest request of a connection, and what befell the connection before the request had arrived as a whole. */
type Latest = { request: IncomingMessage; isAnswered: boolean; fault?: Fault; fail?: (fault: Fault) => void }

export type Connections = {
  opened(socket: Socket): void
  requestBegan(request: IncomingMessage): void
  requestAnswered(request: IncomingMessage): void
  /** Calls `fail` if the connection fails while the body of this request is being read, or has failed before. */
  onFailure(request: IncomingMessage, fail: (fault: Fault) => void): void
  /**
   * Takes a fault of the connection. `request`: one that is not answered yet and whose body has not arrived will be, and
   * then the connection is closed. `nobody`: an answer was given, or one is under way that must not be mixed with another.
   * `connection`: nothing has been said, so the connection may answer.
   */
  whoAnswers(socket: Socket, fault: Fault): 'request' | 'nobody' | 'connection'
  /** Closes those on which no request is under way. Requests that have not arrived as a whole get this fault. */
  closeUnused(fault: Fault): void
}

const NAME = 'connections'

export function connectionsOf(app: FastifyInstance): Connections {
  return app.getDecorator<Connections>(NAME)
}

export function followConnections(app: FastifyInstance, connections: Connections): void {
  app.decorate(NAME, connections)
  app.server.on('connection', connections.opened)
}

export function createConnections(): Connections {
  const open = new Set<Socket>()
  const latest = new WeakMap<Socket, Latest>()
  const ofRequest = (request: IncomingMessage) => {
    const found = latest.get(request.socket)
    return found?.request === request ? found : undefined
  }
  const fail = (found: Latest, fault: Fault) => {
    found.fault ??= fault
    found.fail?.(fault)
  }
  return {
    opened(socket) {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    },
    requestBegan: (request) => void latest.set(request.socket, { request, isAnswered: false }),
    requestAnswered(request) {
      const found = ofRequest(request)
      if (found === undefined) return
      found.isAnswered = true
      if (found.fault !== undefined) request.socket.destroySoon()
    },
    onFailure(request, fail) {
      const found = ofRequest(request)
      if (found?.fault !== undefined) fail(found.fault)
      else if (found !== undefined) found.fail = fail
    },
    whoAnswers(socket, fault) {
      const found = latest.get(socket)
      if (found === undefined || (found.isAnswered && found.request.complete)) return 'connection'
      if (found.isAnswered || found.request.complete) return 'nobody'
      fail(found, fault)
      return 'request'
    },
    closeUnused(fault) {
      for (const socket of open) {
        const found = latest.get(socket)
        if (found === undefined || found.isAnswered) socket.destroySoon()
        else if (!found.request.complete) fail(found, fault)
      }
    },
  }
}
