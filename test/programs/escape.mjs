/*
 * Attacks on a boundary. The argument is JSON that says where everything is; without a root, it is the current directory. Prints
 * JSON: for each attack `true` if it succeeded, else why it failed. The same program runs without a boundary and inside one.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import * as fs from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'

const here = () => ({
  root: process.cwd(),
  gitDirectory: spawnSync('git', ['rev-parse', '--absolute-git-dir'], { encoding: 'utf8' }).stdout.trim(),
  branch: spawnSync('git', ['symbolic-ref', 'HEAD'], { encoding: 'utf8' }).stdout.trim(),
})
const given = JSON.parse(process.argv[2] ?? '')
const at = given.root === undefined ? { ...given, ...here() } : given
const { root, common } = at

/** Wherever a file is read, the canary must be in it. */
const read = (path) => () => fs.readFileSync(path, 'utf8').includes('canary')
const write =
  (path, text = 'planted') =>
  () => {
    fs.mkdirSync(join(path, '..'), { recursive: true })
    fs.writeFileSync(path, text)
    return true
  }
/** Inside, the same path may be in an empty directory. Then the file beside it is missing. */
const plant = (path, neighbour) => () => {
  write(path)()
  return fs.existsSync(neighbour) || 'it is another directory'
}
const remove = (path) => () => {
  fs.rmSync(path, { recursive: true })
  return true
}
/** Git replaces files like this. */
const replace =
  (path, text = 'planted') =>
  () => {
    const beside = join(root, 'beside')
    fs.writeFileSync(beside, text)
    fs.renameSync(beside, path)
    return true
  }
const run =
  (program, ...args) =>
  () => {
    const { status, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
    return status === 0 || (error?.code ?? (stderr.trim() || `exit code ${status}`))
  }
const reach = (target) => () =>
  new Promise((resolve) => {
    const socket = connect(target)
    socket.on('data', (bytes) => resolve(bytes.includes('canary'))).on('error', ({ code }) => resolve(code))
    socket.setTimeout(3000, () => resolve('no answer'))
  })
const send = (port) => () =>
  new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.on('error', ({ code }) => resolve(code)).on('message', (bytes) => resolve(bytes.includes('canary')))
    socket.send('question', port, '127.0.0.1')
    setTimeout(() => resolve('no answer'), 1000)
  })

const link = (make) => (path) => () => {
  const name = join(root, `link-${Math.random()}`)
  make(path, name)
  return fs.readFileSync(name, 'utf8').includes('canary')
}

const ATTACKS = {
  'a file in the home directory': read(join(at.home, 'canary')),
  'a key in ~/.ssh': read(join(at.home, '.ssh', 'id_ed25519')),
  'credentials in ~/.aws': read(join(at.home, '.aws', 'credentials')),
  'the login of gh': read(join(at.home, '.config', 'gh', 'hosts.yml')),
  'a token of gh in a variable': () => process.env.GH_TOKEN === 'canary' || 'it is not there',
  'what is sent with telemetry': () => process.env.OTEL_RESOURCE_ATTRIBUTES === 'canary=1' || 'it is not there',
  'the secret of a webhook': () => read(at.secret)() || 'it is empty',
  'a file that a shell reads': plant(join(at.home, '.bashrc'), join(at.home, 'canary')),
  'the store of drover': read(join(at.droverHome, 'canary')),
  'the records of runs': read(join(common, 'drover', 'canary')),
  'the socket of drover': reach({ path: join(at.droverHome, 'server.sock') }),
  'a file of a sibling worktree': read(join(at.sibling, 'file')),
  'a file in a sibling worktree': plant(join(at.sibling, 'planted'), join(at.sibling, 'file')),
  'a file of the main worktree': read(join(at.main, '.env')),
  'a file outside': plant(join(at.outside, 'planted'), join(at.outside, 'canary')),
  'the system': write('/usr/lib/drover-canary'),
  'core.fsmonitor by git': run('git', 'config', 'core.fsmonitor', 'planted'),
  'settings of a worktree': run('git', 'config', '--worktree', 'core.fsmonitor', 'planted'),
  'another branch': replace(join(common, 'refs/heads/main')),
  'another branch in the same directory': replace(join(common, 'refs/heads/drover/two')),
  'the removal of another branch': remove(join(common, 'refs/heads/drover/three')),
  'all packed branches': replace(join(common, 'packed-refs')),
  'a hook': write(join(common, 'hooks/post-checkout')),
  'the settings of the repository': write(join(common, 'config'), '[core]\n\tfsmonitor = planted\n'),
  'attributes of the repository': write(join(common, 'info/attributes')),
  'another store of objects': write(join(common, 'objects/info/alternates')),
  'packs of objects': write(join(common, 'objects/pack/planted')),
  'another repository for the worktree': replace(join(root, '.git'), 'gitdir: /nowhere\n'),
  'another directory for all settings': replace(join(at.gitDirectory, 'commondir'), '/nowhere\n'),
  'a symbolic link out': link(fs.symlinkSync)(join(at.outside, 'canary')),
  'a write through a symbolic link': () => {
    fs.symlinkSync(at.outside, join(root, 'way-out'))
    return plant(join(root, 'way-out', 'linked'), join(at.outside, 'canary'))()
  },
  'a hard link out': link(fs.linkSync)(join(at.outside, 'canary')),
  'the environment of other processes': () =>
    fs.readdirSync('/proc').some((name) => {
      try {
        return /^\d+$/.test(name) && fs.readFileSync(`/proc/${name}/environ`, 'latin1').includes(at.mark)
      } catch {
        return false
      }
    }) || 'it is not there',
  'the root of another process': () =>
    fs.readFileSync(`/proc/${at.pid}/root${join(at.home, 'canary')}`, 'utf8').includes('canary'),
  'a Unix socket': reach({ path: join(at.outside, 'path.sock') }),
  'the socket of Docker': reach({ path: join(at.outside, 'docker.sock') }),
  'an abstract Unix socket': reach({ path: `\0${at.abstractSocket}` }),
  'a server on 127.0.0.1': reach({ host: '127.0.0.1', port: at.port }),
  'a server on ::1': reach({ host: '::1', port: at.port6 }),
  'a server at an address of this machine': reach({ host: at.address, port: at.port }),
  'a question by UDP, as to DNS': send(at.udpPort),
  'a file of 10 GB': run('truncate', '--size=10G', join(root, 'large')),
}

/** Leaves what git outside would follow or believe later. */
function leave() {
  const object = join(common, 'objects', at.blob.slice(0, 2), at.blob.slice(2))
  const acts = [
    ...[
      ['message', 'COMMIT_EDITMSG'],
      ['log', 'logs/HEAD'],
      ['index', 'index'],
    ].map(([target, name]) => () => {
      fs.rmSync(join(at.gitDirectory, name), { force: true })
      fs.symlinkSync(join(at.outside, target), join(at.gitDirectory, name))
    }),
    () => fs.writeFileSync(join(common, at.branch), 'ref: refs/heads/drover/named\n'),
    () => fs.writeFileSync(join(common, 'refs/heads/drover/packed'), `${at.commit}\n`),
    () => fs.mkdirSync(join(object, '..'), { recursive: true }),
    () => fs.rmSync(object, { force: true }),
    () => fs.writeFileSync(object, deflateSync('blob 4\0evil')),
    () => fs.writeFileSync(join(at.gitDirectory, 'index.lock'), ''),
  ]
  for (const act of acts) {
    try {
      act()
    } catch {
      // Not every boundary lets it get that far.
    }
  }
}

// The attacks that follow would break the repository for it, if nothing held them back.
if (at.leaves) {
  leave()
  process.exit(0)
}

const results = {}
for (const [name, attack] of Object.entries(ATTACKS)) {
  try {
    results[name] = await attack()
  } catch (error) {
    results[name] = error.code ?? error.message
  }
}
for (const [name, program] of Object.entries(at.calls)) results[name] = spawnSync(program).status
spawn('sleep', ['300'], { stdio: 'ignore', detached: true, env: { DAEMON: at.daemon } }).unref()
process.stdout.write(JSON.stringify(results), () => process.exit(0))
