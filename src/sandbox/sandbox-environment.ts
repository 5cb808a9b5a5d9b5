/** The environment of a sandboxed command: a list of what it gets. Pure. */
import { type ChildEnvironment, type Environment, toChildEnvironment } from '../kit/process/child-environment.ts'
import { PROXY_PORT } from './bubblewrap-arguments.ts'

const GIVEN = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ'],
  ...['TERM', 'COLORTERM', 'NO_COLOR', 'FORCE_COLOR', 'COLUMNS', 'LINES', 'CI', 'NODE_ENV'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
  ...['JAVA_HOME', 'GOROOT', 'GOPATH', 'CARGO_HOME', 'RUSTUP_HOME', 'NVM_DIR', 'PYENV_ROOT', 'VOLTA_HOME', 'PNPM_HOME'],
  ...['DROVER_TREE', 'DROVER_OWNER', 'DROVER_DEPTH', 'DROVER_RUN', 'DROVER_WORKTREE', 'DROVER_BRANCH', 'DROVER_PORT'],
]
const GIVEN_PREFIXES = ['LC_']

const WITHOUT_PROXY = 'localhost,127.0.0.1,::1'

/** Programs differ in what they read. */
function toProxies(proxy: string) {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])
  return {
    ...Object.fromEntries(names.map((name) => [name, proxy])),
    ...{ NO_PROXY: WITHOUT_PROXY, no_proxy: WITHOUT_PROXY },
    ...{ npm_config_proxy: proxy, npm_config_https_proxy: proxy, npm_config_noproxy: WITHOUT_PROXY },
    ...{ YARN_HTTP_PROXY: proxy, YARN_HTTPS_PROXY: proxy, CARGO_HTTP_PROXY: proxy },
  }
}

/** `allowed` are names of further variables; a name may end with `*`. */
export function toSandboxEnvironment(
  env: Environment,
  allowed: readonly string[],
  proxyPort: number = PROXY_PORT,
): ChildEnvironment {
  const names = [...GIVEN, ...allowed.filter((name) => !name.endsWith('*'))]
  const prefixes = [...GIVEN_PREFIXES, ...allowed.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))]
  const given = Object.entries(toChildEnvironment(env)).filter(
    ([name]) => names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix)),
  )
  const proxies = toProxies(`http://127.0.0.1:${proxyPort}`)
  return { ...toChildEnvironment(Object.fromEntries(given)), ...proxies, TMPDIR: '/tmp' }
}
