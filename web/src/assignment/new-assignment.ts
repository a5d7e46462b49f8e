import { addDays, today } from '../time/days.ts'

/** A new assignment lasts a week, as most do. */
const daysByDefault = 6
const typeKey = 'tracker.type'

/** The values that a new assignment begins with. */
export const newAssignment = (projectId: string, workflowId: string, userId: string) => ({
  startDate: today(),
  endDate: addDays(today(), daysByDefault),
  amountHours: 0,
  projectId,
  workflowId,
  userId,
})

/** The type used last in this browser, while there is one of that id. */
export function lastTypeOf(types: readonly { readonly id: string }[]): string | undefined {
  const last = localStorage.getItem(typeKey)
  return (types.find(({ id }) => id === last) ?? types[0])?.id
}

export const rememberType = (id: string): void => localStorage.setItem(typeKey, id)
