#include <algorithm>
#include <filesystem>
#include <set>

#include "core/mapped_file.h"
#include "eval/formats/brat.h"
#include "text/utf8.h"

namespace rex::eval::formats {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFileBytes = size_t{256} << 20;

// Relative paths of the .txt and .ann files below a folder, without their endings.
Result<std::set<std::string>> names_below(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return fail(ErrorCode::kFileNotFound, "there is no such folder", folder.string());
  std::set<std::string> names;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const fs::path ending = entry->path().extension();
    if (ending == ".txt" || ending == ".ann")
      names.insert(entry->path().lexically_relative(folder).replace_extension().string());
  }
  if (error) return fail(ErrorCode::kFileUnreadable, error.message(), folder.string());
  return names;
}

// Errors begin with the file that they are in.
Result<Document> read_pair(const fs::path& folder, const std::string& name, Batch& batch) {
  REX_TRY(text, read_text_file(folder / (name + ".txt"), kMaxFileBytes));
  REX_TRY(ann, read_text_file(folder / (name + ".ann"), kMaxFileBytes));
  if (auto chars = text::decode_utf8(text); !chars)
    return fail(std::move(chars).error().in(name + ".txt "));
  if (auto chars = text::decode_utf8(ann); !chars)
    return fail(std::move(chars).error().in(name + ".ann "));
  auto document = read_brat(std::move(text), ann, name + ".ann ", batch);
  if (!document) return fail(std::move(document).error().in(name + ".ann "));
  document->id = name;
  document->place = name + ".ann ";
  return document;
}

// A relative path that stays in its folder.
bool is_file_name(const std::string& id) {
  if (id.empty() || id.size() > 200 || id.find('\0') != std::string::npos) return false;
  const fs::path path(id);
  return path.is_relative() && path.has_filename() &&
         std::none_of(path.begin(), path.end(),
                      [](const fs::path& part) { return part == ".." || part == "."; });
}

}  // namespace

Result<Batch> read_brat_folder(const std::string& folder) {
  REX_TRY(names, names_below(folder));
  Batch batch;
  for (const std::string& name : names) {
    auto document = read_pair(folder, name, batch);
    if (document)
      batch.documents.push_back(*std::move(document));
    else
      batch.bad.push_back(std::move(document).error());
  }
  return batch;
}

std::vector<BratFile> brat_files(Batch& batch) {
  std::set<std::string> names;
  std::vector<Document> good;
  std::vector<BratFile> files;
  for (size_t i = 0; i < batch.documents.size(); ++i) {
    Document& document = batch.documents[i];
    if (document.id.empty()) document.id = std::to_string(i + 1);
    const std::string& id = document.id;
    const std::string place = place_of(document);
    const auto refuse = [&](std::string message) {
      batch.bad.push_back({ErrorCode::kSampleInvalid, std::move(message), place});
    };
    auto ann = write_brat(document);
    if (!ann) {
      batch.bad.push_back(std::move(ann).error().in(place));
    } else if (!is_file_name(id)) {
      refuse("the id \"" + id + "\" is no name of a file; give the record another one");
    } else if (!names.insert(id).second) {
      refuse("a second record has the id \"" + id + "\"; give it another one");
    } else {
      files.push_back({id + ".txt", document.text});
      files.push_back({id + ".ann", *std::move(ann)});
      good.push_back(std::move(document));
    }
  }
  batch.documents = std::move(good);
  return files;
}

Result<void> write_brat_folder(const std::vector<BratFile>& files, const std::string& folder) {
  for (const BratFile& file : files) {
    const fs::path path = fs::path(folder) / file.name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);  // what fails here, writing tells
    REX_TRY_VOID(write_text_file(path, file.text));
  }
  return {};
}

}  // namespace rex::eval::formats
