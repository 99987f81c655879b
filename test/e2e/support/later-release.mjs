// Loaded before the built program by the tests of upgrades, and by nothing else (NODE_OPTIONS=--import). With it, the program is a later release:
// it has three migrations more, those of test/support/later-migrations.ts as plain JavaScript.
import vm from 'node:vm';

class Notes1999000000001 {
  async up(runner) {
    await runner.query(`
      ALTER TABLE photos ADD has_note boolean NOT NULL DEFAULT false;
      CREATE TABLE notes (
        customer_id bigint NOT NULL,
        photo_id bigint NOT NULL,
        text text NOT NULL,
        PRIMARY KEY (customer_id, photo_id),
        FOREIGN KEY (customer_id, photo_id) REFERENCES photos (customer_id, id) ON DELETE CASCADE
      );
    `);
  }

  async down() {}
}

class FirstNotes1999000000002 {
  static online = true;

  async up(runner) {
    await runner.query('INSERT INTO notes SELECT customer_id, id, filename FROM photos ON CONFLICT DO NOTHING');
  }

  async down() {}
}

class NoteIndex1999000000003 {
  static online = true;

  async up(runner) {
    await runner.query('CREATE INDEX CONCURRENTLY photos_without_note ON photos (customer_id, id) WHERE NOT has_note');
  }

  async down() {}
}

globalThis.laterMigrations = [Notes1999000000001, FirstNotes1999000000002, NoteIndex1999000000003];

const LIST = /\bmigrations = \[\s*\w+\d{13},[^\]]*/;

const { Script } = vm;
vm.Script = class extends Script {
  constructor(text, options) {
    super(
      text.replace(LIST, (list) => `${list}, ...laterMigrations`),
      options,
    );
  }
};
