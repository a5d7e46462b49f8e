import type { RecordOf } from '../api/api.ts'

/** Returns the time of the last change. Text would compare wrongly, because timestamps have no trailing zeros. */
export const changedAt = ({ createdAt, updatedAt }: RecordOf<'assignment'>): number =>
  Date.parse(updatedAt ?? createdAt)
