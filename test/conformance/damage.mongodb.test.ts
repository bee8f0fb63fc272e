import { afterAll, beforeAll } from 'vitest';
import type { Document } from 'mongodb';
import { openMongodbStore } from '../../src/storage/mongodb/mongodb-store.js';
import { clearDatabase, describeWithMongodb, dropDatabase, newDatabaseUrl, withClient } from '../support/mongodb.js';
import { damageSuite, type Place } from './damage.suite.js';

/** Where a record lies: its collection, the document, and the field that is damaged. */
const PLACES: Readonly<Record<Place, (id: string) => readonly [collection: string, filter: Document, field: string]>> =
  {
    function: (_id) => ['functions', { _id }, 'body'],
    source: (_id) => (_id.startsWith('func') ? ['functions', { _id }, 'body'] : ['runs', { _id }, 'source']),
    run: (_id) => ['runs', { _id }, 'request'],
    ending: (_id) => ['runs', { _id }, 'ending'],
    batch: (_id) => ['batches', { _id }, 'body'],
    key: (_id) => ['api_keys', { _id }, 'body'],
    webhook: (_id) => ['webhooks', { _id }, 'events'],
    delivery: (_id) => ['deliveries', { _id }, 'attempts'],
    event: (id) => ['runs', { 'events.id': id }, 'events.$'],
    conversation: (_id) => ['conversations', { _id }, 'body'],
    study: (_id) => ['studies', { _id }, 'body'],
    entry: (study) => ['study_entries', { study }, 'summary'],
    lesson: (version) => ['lessons', { version: Number(version) }, 'body'],
  };

describeWithMongodb('records in MongoDB', () => {
  let url: string;
  beforeAll(() => {
    url = newDatabaseUrl();
  });
  afterAll(() => dropDatabase(url));

  damageSuite('mongodb', () => ({
    open: (note) => openMongodbStore(url, note),
    async write(place, id, text) {
      const [collection, filter, field] = PLACES[place](id);
      const update = { $set: { [field]: text } };
      const done = await withClient(url, (client) => client.db().collection(collection).updateOne(filter, update));
      if (done.modifiedCount !== 1) throw new Error(`nothing to damage: ${place} ${id}`);
    },
    cleanUp: () => clearDatabase(url),
  }));
});
