import { lazyDialog } from '../ui/lazy.tsx'

export const NewAssignmentDialog = lazyDialog(
  async () => (await import('./new-assignment.tsx')).NewAssignmentDialog,
)
