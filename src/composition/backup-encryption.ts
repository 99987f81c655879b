// What backups are encrypted with: commands do not name adapters.
export { ageDecryption, ageEncryption, passingKey } from '../adapters/age/age-encryption.js';
