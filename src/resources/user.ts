import { administratorsOnly } from '../model/access-rule.ts'
import { required, requiredOnCreate, secret } from '../model/field.ts'
import { newPassword, text } from '../model/field-kinds.ts'
import { loginCharactersMax, nameCharactersMax } from '../model/text-limits.ts'
import { defineResource } from './define-resource.ts'
import {
  endAccess,
  endSignInsWhenCredentialsChange,
  hashPassword,
  refuseGuessablePassword,
  refuseStoredLoginAsPassword,
} from './user-rules.ts'

export const user = defineResource({
  name: 'user',
  edition: 'v1',
  table: 'users',
  about: 'An account, which only administrators see and change.',
  fields: {
    name: required(2, text({ max: nameCharactersMax }), {
      about: 'What others call the person.',
      example: 'Ann Example',
    }),
    login: requiredOnCreate(3, text({ max: loginCharactersMax }), {
      about: 'What the person signs in with; no other active account has it, in whatever capitals.',
      example: 'ann@example.com',
    }),
    password: secret(requiredOnCreate(4, newPassword, { about: 'Never shown again.' })),
  },
  access: administratorsOnly,
  checks: [refuseGuessablePassword],
  rules: {
    prepare: hashPassword,
    beforeUpdate: refuseStoredLoginAsPassword,
    afterUpdate: endSignInsWhenCredentialsChange,
    afterRemove: endAccess,
  },
})
