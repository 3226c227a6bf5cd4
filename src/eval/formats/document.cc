#include "eval/formats/document.h"

#include <algorithm>

namespace rex::eval::formats {
namespace {

// 高管 of 高管(人物); the whole label when nothing stands before a bracket.
std::string relation_of(const std::string& label) {
  const size_t bracket = label.find('(');
  return bracket == std::string::npos || bracket == 0 ? label : label.substr(0, bracket);
}

// 人物 of 高管(人物); empty without brackets.
std::string object_type_of(const std::string& label) {
  const size_t bracket = label.find('(');
  if (bracket == std::string::npos || bracket == 0 || !label.ends_with(')')) return {};
  return label.substr(bracket + 1, label.size() - bracket - 2);
}

std::string label_of(const Relation& relation, const Entity& object) {
  if (relation.argument) return relation.type;
  if (object.type == relation.type || object.type.starts_with(relation.type + "("))
    return object.type;
  return relation.type + "(" + object.type + ")";
}

Entity entity_of(const Item& item) {
  return {item.type, item.start, item.end};
}

Item item_of(std::string label, const Entity& entity, const text::CharText& text) {
  return {std::move(label), std::string(text.slice(entity.start, entity.end)), entity.start,
          entity.end};
}

template <class T>
bool contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

template <class T>
void add_once(std::vector<T>& values, T value) {
  if (!contains(values, value)) values.push_back(std::move(value));
}

size_t index_of(std::vector<Entity>& entities, const Entity& entity) {
  const auto found = std::find(entities.begin(), entities.end(), entity);
  if (found != entities.end()) return static_cast<size_t>(found - entities.begin());
  entities.push_back(entity);
  return entities.size() - 1;
}

bool begins(const ItemList& list, const ItemList& longer) {
  return list.size() < longer.size() && std::equal(list.begin(), list.end(), longer.begin());
}

bool begins_another(const ItemList& list, const std::vector<ItemList>& lists) {
  return std::any_of(lists.begin(), lists.end(),
                     [&](const ItemList& other) { return begins(list, other); });
}

// An item without its words, which chains_of() would cut from the text.
ItemList without_spans(ItemList list) {
  for (Item& item : list) item.span.clear();
  return list;
}

// The chains of a document, spans left empty.
std::vector<ItemList> bare_chains(const Document& document) {
  const auto& entities = document.entities;
  std::vector<bool> begins_chain(entities.size()), is_object(entities.size()),
      means_more(entities.size());
  for (const Relation& relation : document.relations) {
    begins_chain[relation.from] = true;
    is_object[relation.to] = true;
    const Entity& object = entities[relation.to];
    if (label_of(relation, object) != object.type) means_more[relation.to] = true;
  }
  std::vector<ItemList> chains;
  const auto bare = [](std::string label, const Entity& entity) {
    return Item{std::move(label), "", entity.start, entity.end};
  };
  for (size_t i = 0; i < entities.size(); ++i) {
    const Item head = bare(entities[i].type, entities[i]);
    for (const Relation& relation : document.relations) {
      if (relation.from != i) continue;
      const Entity& object = entities[relation.to];
      add_once(chains, ItemList{head, bare(label_of(relation, object), object)});
    }
    if (!begins_chain[i] && (!is_object[i] || means_more[i])) add_once(chains, ItemList{head});
  }
  std::erase_if(chains, [&](const ItemList& chain) { return begins_another(chain, chains); });
  return chains;
}

}  // namespace

std::string place_of(const Document& document) {
  std::string place = document.place.empty() ? "record " + document.id : document.place;
  if (!place.ends_with(' ')) place += ' ';
  return place;
}

void Batch::add(Result<Document> document, const std::string& place) {
  if (!document) {
    bad.push_back(std::move(document).error().in(place));
    return;
  }
  document->place = place;
  documents.push_back(*std::move(document));
}

void Batch::lose(std::string message, std::string place) {
  lost.push_back({ErrorCode::kSampleInvalid, std::move(message), std::move(place)});
}

Result<Entity> make_entity(std::string type, int64_t start, int64_t end, const text::CharText& text,
                           std::string place) {
  if (type.empty())
    return fail(ErrorCode::kSampleInvalid, "the entity has no type", std::move(place));
  if (start < 0 || start >= end || end > text.size()) {
    return fail(ErrorCode::kSampleInvalid,
                "[" + std::to_string(start) + ", " + std::to_string(end) +
                    ") is no part of a text of " + std::to_string(text.size()) + " chars",
                std::move(place));
  }
  return Entity{std::move(type), static_cast<int32_t>(start), static_cast<int32_t>(end)};
}

std::vector<ItemList> chains_of(const Document& document, const text::CharText& text) {
  std::vector<ItemList> chains = bare_chains(document);
  for (ItemList& chain : chains) {
    for (Item& item : chain) item = item_of(item.type, entity_of(item), text);
  }
  return chains;
}

Document document_of(const std::vector<ItemList>& lists, const std::string& place, Batch& batch) {
  Document document;
  std::vector<Entity>& entities = document.entities;
  for (const ItemList& list : lists) {
    if (list.size() == 1 || list.size() == 2) add_once(entities, entity_of(list[0]));
  }
  for (const ItemList& list : lists) {
    if (list.size() != 2) continue;
    const std::string& label = list[1].type;
    Entity object{object_type_of(label), list[1].start, list[1].end};
    if (object.type.empty() || !contains(entities, object)) object.type = label;
    const size_t from = index_of(entities, entity_of(list[0])), to = index_of(entities, object);
    const std::string name = relation_of(label);
    const auto same = [&](const Relation& r) {
      return r.from == from && r.to == to && r.type == name;
    };
    if (std::none_of(document.relations.begin(), document.relations.end(), same))
      document.relations.push_back({from, to, name, name == label});
  }
  const std::vector<ItemList> carried = bare_chains(document);
  for (size_t i = 0; i < lists.size(); ++i) {
    if (lists[i].empty() || begins_another(lists[i], lists)) continue;
    if (contains(carried, without_spans(lists[i]))) continue;
    batch.lose(lists[i].size() > 2
                   ? "a chain of " + std::to_string(lists[i].size()) + " items; two is the most"
                   : "entities and relations cannot say this chain",
               place + "/info_list/" + std::to_string(i));
  }
  return document;
}

}  // namespace rex::eval::formats
