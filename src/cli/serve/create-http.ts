import { createHttpFace, type HttpFace, type HttpInputs } from '../../http/http-face.ts'
import type { Invocation } from '../command.ts'
import { findSandbox } from '../sandbox/find-sandbox.ts'
import { findUserPaths, privateFilesFor, sandboxPartsFor } from '../settings.ts'

type FromInvocation = 'version' | 'env' | 'cwd' | 'isRoot' | 'clock' | 'demo' | 'demoAgent' | 'directories'
type Parts = Omit<HttpInputs, FromInvocation | 'privateFiles' | 'sandbox' | 'jsonThread' | 'logsPrompts'> & {
  logsPrompts?: boolean
}

/** The HTTP server that this command starts. */
export async function createHttp(invocation: Invocation, parts: Parts): Promise<HttpFace> {
  const { flags, runtime } = invocation
  const { cwd, isRoot, clock, demoAgent, jsonThread } = runtime
  return await createHttpFace({
    ...{ cwd, isRoot, clock, demoAgent, jsonThread, version: runtime.version() },
    // A copy, because process.env asks the system for each variable, and every prompt reads all of them.
    env: { ...runtime.env },
    demo: flags.isOn('demo') ? demoAgent : undefined,
    directories: findUserPaths(invocation),
    privateFiles: privateFilesFor(invocation),
    sandbox: sandboxPartsFor(invocation, parts.config),
    machineSandbox: findSandbox(runtime, findUserPaths(invocation), parts.config),
    logsPrompts: false,
    ...parts,
  })
}
