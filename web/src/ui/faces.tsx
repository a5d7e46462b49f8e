import { PersonAvatar } from './avatar.tsx'

/** At most this many avatars are shown. Other people are only counted. */
const avatarsMax = 4

interface FacesProps {
  readonly ids: readonly string[]
  /** The number of people, if `ids` has only the first ones. */
  readonly count?: number
}

/** Shows the first people as avatars, and the number of the others. */
export const Faces = ({ ids, count = ids.length }: FacesProps) => (
  <span class="faces">
    {ids.slice(0, avatarsMax).map((id) => (
      <PersonAvatar key={id} id={id} />
    ))}
    {count > avatarsMax && <span class="quiet-text">+{count - avatarsMax}</span>}
  </span>
)
