import { Icon } from './icon.tsx'
import { PersonAvatar } from './person-avatar.tsx'

export interface PersonLineProps {
  readonly id: string
  readonly name: string
  readonly removeLabel: string
  onRemove(): void
}

/** One person in a list that can be shortened. */
export const PersonLine = ({ id, name, removeLabel, onRemove }: PersonLineProps) => (
  <li class="row">
    <PersonAvatar id={id} isNamed />
    <span class="row-text" dir="auto">
      {name}
    </span>
    <button type="button" class="button quiet icon-only" aria-label={removeLabel} onClick={onRemove}>
      <Icon name="close" />
    </button>
  </li>
)
