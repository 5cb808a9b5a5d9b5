import { describe, expect, it } from 'vitest'
import { toBubblewrapArguments, type Wrapping } from './bubblewrap-arguments.ts'
import { parseHostRule } from './host-rules.ts'

const wrapping: Wrapping = {
  policy: {
    mounts: [
      { path: '/usr', as: 'read' },
      { path: '/home/me', as: 'own' },
      { path: '/home/me/.ssh', as: 'empty directory' },
      { path: '/etc/shadow', as: 'empty file' },
      { path: '/work', as: 'write' },
    ],
    home: '/home/me',
    hosts: [],
    env: [],
    limits: { memoryBytes: 1, processes: 2, fileBytes: 3 },
  },
  argv: ['npm', 'test', '--', '$(id)'],
  cwd: '/work/src',
  programs: {
    bubblewrap: '/usr/bin/bwrap',
    node: '/usr/bin/node',
    forwarder: '/drover/forwarder.cjs',
    limiter: '/usr/bin/prlimit',
  },
  proxySocket: '/tmp/x/proxy.sock',
  ports: [3000],
  seccompDescriptor: 3,
}

describe('the arguments of bubblewrap', () => {
  it('are all of the boundary, in the order in which they count', () => {
    expect(toBubblewrapArguments(wrapping).join(' ')).toBe(
      [
        '/usr/bin/bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-net --unshare-cgroup-try',
        '--cap-drop ALL --die-with-parent --new-session --seccomp 3 --unsetenv XDG_RUNTIME_DIR --proc /proc --dev /dev',
        '--perms 1777 --size 4294967296 --tmpfs /dev/shm --remount-ro /dev',
        '--ro-bind /usr /usr',
        '--perms 1777 --size 4294967296 --tmpfs /home/me',
        '--tmpfs /home/me/.ssh --remount-ro /home/me/.ssh',
        '--ro-bind /dev/null /etc/shadow',
        '--bind /work /work',
        '--bind /tmp/x/proxy.sock /run/drover/proxy.sock --ro-bind /drover/forwarder.cjs /run/drover/forwarder',
        '--remount-ro / --chdir /work/src --',
        '/usr/bin/prlimit --data=1 --nproc=2 --fsize=3 --core=0',
        '/usr/bin/node /run/drover/forwarder /run/drover/proxy.sock 19128,3000  npm test -- $(id)',
      ].join(' '),
    )
  })

  it('lead Node to the proxy if a host is listed', () => {
    const policy = { ...wrapping.policy, hosts: parseHostRule('example.com') ?? [] }
    expect(toBubblewrapArguments({ ...wrapping, policy })).toContain('NODE_USE_ENV_PROXY=1')
  })

  it('begin with a shell and socat if there is socat, and only the port of the proxy', () => {
    const relay = { file: '/drover/forwarder.sh', shell: '/bin/sh', socat: '/usr/bin/socat' }
    const relayed = { ...wrapping, programs: { ...wrapping.programs, relay } }
    const argv = toBubblewrapArguments({ ...relayed, ports: [] }).join(' ')
    expect(argv).toContain('--ro-bind /drover/forwarder.sh /run/drover/forwarder ')
    expect(argv).toContain(' /bin/sh /run/drover/forwarder /usr/bin/socat /run/drover/proxy.sock 19128  npm test ')
    expect(toBubblewrapArguments(relayed)).toEqual(toBubblewrapArguments(wrapping))
  })

  it('set only the limits that there are, and none without prlimit', () => {
    const limits = { memoryBytes: undefined, processes: undefined, fileBytes: undefined }
    const unlimited = toBubblewrapArguments({ ...wrapping, policy: { ...wrapping.policy, limits } })
    expect(unlimited.join(' ')).toContain(' -- /usr/bin/prlimit --core=0 /usr/bin/node ')
    const programs = { ...wrapping.programs, limiter: undefined }
    expect(toBubblewrapArguments({ ...wrapping, programs }).join(' ')).toContain(' -- /usr/bin/node ')
  })

  it('begin with a control group if all processes together are limited, and do not let its session in', () => {
    const scope = { program: '/usr/bin/systemd-run', runtimeDirectory: '/run/user/1000' }
    const limits = { ...wrapping.policy.limits, totalMemoryBytes: 4 }
    const limited = { ...wrapping, programs: { ...wrapping.programs, scope }, policy: { ...wrapping.policy, limits } }
    const argv = toBubblewrapArguments(limited).join(' ')
    expect(argv).toContain(
      '/usr/bin/systemd-run --user --scope --quiet --collect --property MemoryMax=4 --property MemorySwapMax=0 --property TasksMax=2 -- /usr/bin/bwrap --unshare-user',
    )
    expect(argv).toContain('--unsetenv XDG_RUNTIME_DIR')
    expect(toBubblewrapArguments({ ...wrapping, programs: limited.programs })[0]).toBe('/usr/bin/bwrap')
  })
})
