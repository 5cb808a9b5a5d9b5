/** The machines of many servers and workers, for those who manage them. */
import { machineNotFound } from '../executions/store/faults.ts'
import type { Stores } from '../executions/store/stores.ts'
import { requireAdmin } from './administration.ts'
import type { DroverService } from './drover-service.ts'

export function manageMachines(stores: () => Promise<Stores>): DroverService['machines'] {
  const find = async (name: string) => {
    const { machines } = await stores()
    if (machines === undefined) throw machineNotFound({ machine: name })
    return machines
  }
  return {
    list: async (by) => {
      requireAdmin(by)
      return (await (await stores()).machines?.list()) ?? { machines: [], waits_for_labels: [] }
    },
    drain: async (by, name) => {
      requireAdmin(by)
      return await (await find(name)).drain(name)
    },
    forget: async (by, name) => {
      requireAdmin(by)
      return await (await find(name)).forget(name)
    },
  }
}
