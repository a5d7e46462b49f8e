import { Icon } from '../../ui/icon.tsx'
import type { BlockReason } from './use-blocked.ts'

/** The one drawing of what blocks an assignment, or what it waits for; decorative, next to its text. */
export const BlockReasonIcon = ({ isWaiting }: Pick<BlockReason, 'isWaiting'>) => (
  <span class={isWaiting ? 'waits' : 'blocked'}>
    <Icon name={isWaiting ? 'link' : 'warning'} />
  </span>
)
