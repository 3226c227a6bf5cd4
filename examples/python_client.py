#!/usr/bin/env python3
"""A client of the service that needs nothing but Python.

    build/release/bin/rexuninlu serve &
    examples/python_client.py
    examples/python_client.py --url http://localhost:7860 --task ner --labels 人物,地理位置 --text '周慧敏在武汉工作。'
"""
import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.request


class RexError(Exception):
    """An answer with an error: status, code (stable, for programs) and param (where)."""

    def __init__(self, status, body):
        super().__init__(f"{body.get('code')}: {body.get('error')} ({body.get('param')})")
        self.status, self.code, self.param = status, body.get("code"), body.get("param")


class Client:
    def __init__(self, url="http://localhost:7860", key=None, tries=3):
        self.url, self.key, self.tries = url.rstrip("/"), key, tries

    def post(self, path, body):
        """Sends JSON, returns JSON. Tries again when the service says Retry-After."""
        headers = {"Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        data = json.dumps(body).encode()
        for left in range(self.tries - 1, -1, -1):
            request = urllib.request.Request(self.url + path, data, headers)
            try:
                with urllib.request.urlopen(request, timeout=120) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                wait = error.headers.get("Retry-After")
                if wait is None or left == 0:
                    raise RexError(error.code, json.load(error)) from None
                time.sleep(float(wait))

    def ask(self, task, **fields):
        return self.post(f"/api/{task}", fields)

    def batch(self, task, texts, **fields):
        return self.post("/api/batch", {"task": task, "texts": texts, **fields})["results"]


EXAMPLES = [
    ("ner", {"text": "北大西洋议会春季会议26日在西班牙巴塞罗那闭幕。", "labels": ["人物", "地理位置", "组织机构"]}),
    ("relation", {"text": "远航芯片有限公司总部位于深圳，董事长周慧敏1968年出生于湖南岳阳。",
                  "schema": {"组织机构": ["董事长(人物)", "总部地点(地理位置)"]}}),
    ("event", {"text": "7月28日，天津泰达在德比战中以0-1负于天津天海。", "schema": {"胜负": ["时间", "败者", "胜者", "赛事名称"]}}),
    ("absa", {"text": "很满意，音质很好，发货速度快，值得购买"}),
    ("sentiment", {"text": "很满意，音质很好，发货速度快，值得购买"}),
    ("coref", {"text": "王芳说她明天去北京。", "pronoun": "她", "candidates": ["王芳", "北京"]}),
    ("classification", {"text": "股市今日大涨", "labels": ["体育", "财经"]}),
    ("multi_label", {"text": "《格林童话》是德国民间故事集。", "labels": ["民间故事", "童话", "科幻", "历史"]}),
    ("hierarchical", {"text": "雨刷刮不干净怎么办", "schema": {"APP系统功能": ["蓝牙钥匙故障", "界面显示异常"],
                                                       "电器-附件": ["电子模块问题", "雨刮、洗涤器故障"]}}),
    ("matching", {"text1": "怎么退货", "text2": "如何申请退货"}),
    ("reading", {"text": "云州大学创办于1923年，第一任校长是陈宗岳。", "question": "谁是第一任校长？"}),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", default=os.environ.get("REX_URL", "http://localhost:7860"))
    parser.add_argument("--key", default=os.environ.get("REX_KEY"))
    parser.add_argument("--task")
    parser.add_argument("--labels", help="joined by commas")
    parser.add_argument("--text")
    given = parser.parse_args()
    client = Client(given.url, given.key)
    calls = EXAMPLES
    if given.task:
        fields = {"text": given.text}
        if given.labels:
            fields["labels"] = given.labels.split(",")
        calls = [(given.task, fields)]
    try:
        for task, fields in calls:
            answer = client.ask(task, **fields)
            print(task, json.dumps(answer["result"], ensure_ascii=False))
        if not given.task:
            texts = ["周慧敏在武汉工作。", {"id": "b", "text": "张伟去了深圳。"}]
            for result in client.batch("ner", texts, labels=["人物", "地理位置"]):
                print("batch", json.dumps(result["output"], ensure_ascii=False))
    except RexError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"error: {given.url}: {error}", file=sys.stderr)
        return 69
    return 0


if __name__ == "__main__":
    sys.exit(main())
