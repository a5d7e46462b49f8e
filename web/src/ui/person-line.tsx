import { Icon } from './icon.tsx'
import { Avatar } from './notes.tsx'

export interface PersonLineProps {
  readonly name: string
  readonly removeLabel: string
  onRemove(): void
}

/** One person in a list that can be shortened. */
export const PersonLine = ({ name, removeLabel, onRemove }: PersonLineProps) => (
  <li class="row">
    <Avatar name={name} isNamed />
    <span class="row-text">{name}</span>
    <button type="button" class="button quiet icon-only" aria-label={removeLabel} onClick={onRemove}>
      <Icon name="close" />
    </button>
  </li>
)
